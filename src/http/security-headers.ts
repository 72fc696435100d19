// Headers of every answer: nothing is framed, sniffed or loaded from elsewhere, and no script or style stands in the page itself.

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  // No string can become markup, whatever a later mistake in the page's scripts.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", contentSecurityPolicy],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
];
