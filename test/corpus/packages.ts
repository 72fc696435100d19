// The public packages whose consecutive versions make up the corpus of clean changes; pinned, so that figures can be compared.

export interface PackagePair {
  readonly source: "npm" | "debian";
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

function npm(name: string, before: string, after: string): PackagePair {
  return { source: "npm", name, before, after };
}

function debian(name: string, before: string, after: string): PackagePair {
  return { source: "debian", name, before, after };
}

/** 29 pairs, 58 downloads; JavaScript, TypeScript, Python, Go, C++ and their documentation. */
export const packagePairs: readonly PackagePair[] = [
  npm("express", "5.2.1", "5.3.0"),
  npm("fastify", "5.12.7", "5.12.8"),
  npm("eslint", "10.14.0", "10.15.0"),
  npm("undici", "8.12.4", "8.13.0"),
  npm("mocha", "12.0.2", "12.0.3"),
  npm("webpack", "5.112.2", "5.113.0"),
  npm("node-gyp", "13.0.1", "13.1.0"),
  npm("svelte", "5.57.2", "5.57.3"),
  npm("npm", "12.2.1", "12.2.2"),
  npm("rxjs", "7.7.0", "7.8.0"),
  npm("zod", "4.6.6", "4.6.7"),
  npm("@trpc/server", "11.23.0", "11.25.2"),
  npm("@tanstack/query-core", "5.107.1", "5.108.0"),
  npm("@reduxjs/toolkit", "2.14.0", "2.15.0"),
  npm("msw", "3.0.4", "3.0.5"),
  npm("viem", "2.57.13", "2.57.20"),
  npm("effect", "4.0.6", "4.1.0"),
  npm("better-sqlite3", "13.1.1", "13.2.0"),
  npm("node-addon-api", "8.8.0", "8.9.0"),
  npm("nan", "2.29.0", "2.30.0"),
  npm("sharp", "0.35.4", "0.35.5"),
  npm("isolated-vm", "6.1.2", "7.0.0"),
  debian("golang-github-spf13-cobra-dev", "1.6.1-1", "1.8.1-1"),
  debian("golang-github-stretchr-testify-dev", "1.8.1-1", "1.10.0-1"),
  debian("golang-github-urfave-cli-v2-dev", "2.3.0-2", "2.25.7-5"),
  debian("python3-jinja2", "3.1.2-1+deb12u3", "3.1.6-1"),
  debian("python3-rich", "13.3.1-1", "13.9.4-1"),
  debian("python3-werkzeug", "2.2.2-3+deb12u1", "3.1.3-2"),
  debian("libspdlog-dev", "1:1.10.0+ds-0.4", "1:1.15.2+ds-2"),
];
