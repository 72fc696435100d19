// Secrets that belong to nobody, of every kind that the redactor knows, for tests that plant them.
import fc from "fast-check";

const word = (alphabet: string, length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((letters) => letters.join(""));
const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const upper = lower.toUpperCase();
const any = `${lower}${upper}${digits}`;
const hex = `${digits}abcdef`;

/** A text, and the part of it that nobody may see. */
export interface Planted {
  readonly text: string;
  readonly secret: string;
}

const token = (prefix: string, alphabet: string, length: number): fc.Arbitrary<Planted> =>
  word(alphabet, length).map((rest) => ({ text: prefix + rest, secret: rest }));

/** A digit makes a key of what could be a name. */
const keyed = (prefix: string, length: number): fc.Arbitrary<Planted> =>
  word(any, length).map((rest) => ({ text: `${prefix}${rest}7A`, secret: rest }));

export const plantedSecrets: Readonly<Record<string, fc.Arbitrary<Planted>>> = {
  aws: fc.constantFrom("AKIA", "ASIA", "AROA").chain((prefix) => token(prefix, `${upper}${digits}`, 16)),
  github: fc.constantFrom("ghp_", "gho_", "ghs_").chain((prefix) => token(prefix, any, 36)),
  githubFine: token("github_pat_", any, 82),
  gitlab: token("glpat-", any, 20),
  npm: token("npm_", any, 36),
  npmrc: token("//registry.example/:_authToken=", any, 36),
  slackBot: fc.tuple(word(digits, 12), word(any, 24)).map(([a, b]) => ({ text: `xoxb-${a}-${b}`, secret: b })),
  slackApp: fc.tuple(word(digits, 12), word(hex, 32)).map(([a, b]) => ({ text: `xapp-1-A1-${a}-${b}`, secret: b })),
  slackHook: token("https://hooks.slack.com/services/T1/B2/", any, 24),
  discordHook: token("https://discord.com/api/webhooks/123456789012345678/", any, 68),
  teamsHook: token("https://x.webhook.office.com/webhookb2/", hex, 32),
  openai: keyed("sk-proj-", 40),
  openaiOld: fc.tuple(word(any, 20), word(any, 20)).map(([a, b]) => ({ text: `sk-${a}T3BlbkFJ${b}`, secret: b })),
  anthropic: word(any, 93).map((rest) => ({ text: `sk-ant-api03-${rest}AA`, secret: rest })),
  groq: token("gsk_", any, 52),
  huggingface: token("hf_", `${lower}${upper}`, 34),
  linear: token("lin_api_", any, 40),
  notion: word(any, 35).map((rest) => ({ text: `ntn_12345678901${rest}`, secret: rest })),
  shopify: token("shpat_", any, 32),
  sendgrid: fc.tuple(word(any, 22), word(any, 43)).map(([a, b]) => ({ text: `SG.${a}.${b}`, secret: b })),
  grafana: word(any, 32).map((rest) => ({ text: `glsa_${rest}_1a2b3c4d`, secret: rest })),
  onePassword: word(any, 120).map((rest) => ({ text: `ops_ey${rest}fQ==`, secret: rest })),
  vault: token("hvs.", any, 95),
  vercel: token("vcp_", any, 24),
  databricks: token("dapi", hex, 32),
  docker: token("dckr_pat_", any, 27),
  figma: token("figd_", any, 43),
  google: token("AIza", any, 35),
  stripe: token("sk_live_", any, 24),
  telegram: token("123456789:AA", any, 33),
  twilio: token("SK", hex, 32),
  basicAuth: word(any, 16).map((secret) => ({ text: `https://bot:${secret}@git.example.org/x.git`, secret })),
  database: word(any, 16).map((secret) => ({ text: `postgres://app:${secret}@db.example.org:5432/app`, secret })),
  assignment: word(any, 14).map((secret) => ({ text: `DB_PASSWORD="${secret}"`, secret })),
  header: token("Authorization: Bearer ", any, 30),
  privateKey: word(any, 120).map((secret) => ({
    text: `-----BEGIN ${"RSA"} PRIVATE KEY-----\n${secret}\n-----END ${"RSA"} PRIVATE KEY-----`,
    secret,
  })),
};

export const planted: fc.Arbitrary<Planted> = fc.oneof(...Object.values(plantedSecrets));
