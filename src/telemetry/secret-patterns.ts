// How secrets look. Every pattern is linear: what may repeat without bound is never followed by something required.

export interface SecretPattern {
  readonly pattern: RegExp;
  /** What stands instead; `$1`… keep what is no secret. */
  readonly replacement: string;
}

const mask = "***";

/** Keys that are known by their beginning: nothing of them is kept. */
const tokens: readonly RegExp[] = [
  // Amazon: access key ids, and long-term secret keys only where a name stands beside them.
  /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA)[A-Z0-9]{16}\b/g,
  // GitHub, GitLab, npm, PyPI, Docker Hub.
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|rtr|cbt|ft|imt|agent|soat|oas|ffct)-[\w-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[\w-]{30,}/g,
  /\bdckr_(?:pat|oat)_[\w-]{20,}/g,
  // Slack tokens of every kind.
  /\bxox[a-z](?:\.xox[a-z])?-[\w-]{8,}/g,
  /\bxapp-[\w-]{8,}/g,
  // Google.
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  // Model providers: OpenAI, Anthropic and those that copy the form; Hugging Face, Groq, xAI.
  // A digit or a capital tells a key from a branch that is called sk-something.
  /\bsk-(?=[\w-]{0,200}[\dA-Z])[\w-]{16,}/g,
  /\b(?:hf|gsk|xai)[_-][A-Za-z0-9]{30,}/g,
  // Stripe, SendGrid, Standard Webhooks.
  /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bSG\.[\w-]{16,}(?:\.[\w-]{16,})?/g,
  /\bwhsec_[A-Za-z0-9+/=]{16,}/g,
  // Linear, Notion, Shopify, Grafana, 1Password, Vault, Vercel, Databricks, Figma.
  /\blin_api_\w{30,}/g,
  /\bntn_[A-Za-z0-9]{40,}/g,
  /\bshp(?:pa|ca|at|ss)_[A-Za-z0-9]{30,}/g,
  /\bgl(?:c|sa)_[A-Za-z0-9+/_]{30,}={0,2}/g,
  /\bops_ey[A-Za-z0-9+/=]{90,}/g,
  /\bhv[sbr]\.[\w-]{80,}/g,
  /\bvc[piark]_[A-Za-z0-9]{20,}/g,
  /\bdapi[A-Fa-f0-9]{32}(?:-\d)?/g,
  /\bfigd_[\w-]{40,}/g,
  // Telegram and Twilio.
  /(?<![\w:])\d{8,10}:AA[\w-]{33}/g,
  /\bSK[0-9a-f]{32}\b/g,
  // Discord bot tokens.
  /(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,64}/g,
  // JSON web tokens; the look-behind keeps one run from being tried again from within.
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
];

/** Addresses that let anybody post: the host stays, the path goes. */
const webhooks: readonly RegExp[] = [
  /(\bhooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]+/gi,
  /(\bdiscord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/)[\w/-]+/gi,
  /(\bopen\.(?:feishu\.cn|larksuite\.com|larkoffice\.com)\/open-apis\/bot\/(?:v2\/)?hook\/)[\w-]+/gi,
  /(\bwebhook\.office\.com\/webhookb2\/)[\w@/-]+/gi,
  /(\boapi\.dingtalk\.com\/robot\/send\?access_token=)\w+/gi,
  /(\bqyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=)[\w-]+/gi,
];

const secretWord =
  "(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|credentials?)";
/** A name that ends in such a word (`DB_PASSWORD`, `clientSecret`, `aws_secret_access_key`), with little behind it. */
const secretName = `[\\w.-]{0,128}${secretWord}(?:[_-]?(?:value|id|v?\\d{1,2}))?`;
/** Not a secret but what stands for one: a variable, a template, a mask. */
const notAReference = "(?!\\$\\{|\\$\\(|\\{\\{|<[\\w -]{1,40}>|%[A-Z_]{1,40}%|\\*\\*\\*)";

const assignments: readonly SecretPattern[] = [
  // name = "value", "name": "value", name => 'value'
  ...['"', "'", "`"].map((quote) => ({
    pattern: new RegExp(
      `((?<![\\w.-])${secretName}["'\`\\]]{0,2}\\s{0,4}(?:=>|:=|[:=])\\s{0,4}${quote})${notAReference}[^${quote}\\r\\n]+`,
      "gi",
    ),
    replacement: `$1${mask}`,
  })),
  // The same inside JSON that is quoted itself: \"name\": \"value\"
  {
    pattern: new RegExp(`((?<![\\w.-])${secretName}\\\\"\\s{0,4}:\\s{0,4}\\\\")${notAReference}[^"\\\\\\r\\n]+`, "gi"),
    replacement: `$1${mask}`,
  },
  // DB_PASSWORD=value: an environment's upper case is never a call or a type.
  {
    pattern:
      /((?<![\w.-])[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|CREDENTIALS?)(?:_[A-Z0-9]{1,10})?=)(?!\$[{(]|\*\*\*|["'`])[^\s"'`,;&<>(){}]{3,}/g,
    replacement: `$1${mask}`,
  },
  // .npmrc: its values stand without quotes, whatever they consist of.
  { pattern: /(_(?:authToken|auth|password)\s{0,2}=\s{0,2})(?!\$\{|\*\*\*)[^\s"'`]{8,}/g, replacement: `$1${mask}` },
  // ?token=value&, --password=value, -p secrets of command lines
  {
    pattern: new RegExp(`([?&]${secretName}=|--${secretName}(?:=|\\s{1,2}))${notAReference}[^\\s"'&#;,)]+`, "gi"),
    replacement: `$1${mask}`,
  },
  // password: hunter2, token=ab12cd: a digit tells a value from a type or a name. Taken whole or not at all.
  {
    pattern: new RegExp(
      `((?<![\\w.-])${secretName}(?:=|:\\s{1,4}))(?!\\*\\*\\*)(?=[^\\s\\d"'\`,;&()<>{}\\[\\]]{0,256}\\d)(?=([^\\s"'\`,;&()<>{}\\[\\]]{6,}))\\2(?!\\()`,
      "gi",
    ),
    replacement: `$1${mask}`,
  },
];

const headers: readonly SecretPattern[] = [
  {
    pattern:
      /(\b(?:proxy-)?authorization["'`\]\\]{0,3}\s{0,4}[:=]\s{0,4}\\?["'`]?(?:bearer|basic|token|digest|bot|apikey|negotiate)\s{1,4})(?!\$\{|\*\*\*)[^\s"'`\\,;]{4,}/gi,
    replacement: `$1${mask}`,
  },
  {
    pattern: /(\b(?:proxy-)?authorization["'`]?\s{0,4}:\s{0,4}["'`]?)(?![A-Za-z]{1,12}\s|\$\{|\*\*\*)[^\s"'`,;]{16,}/gi,
    replacement: `$1${mask}`,
  },
  { pattern: /(\bbearer\s{1,4})(?!\*\*\*)[\w.~+/=-]{16,}/gi, replacement: `$1${mask}` },
  {
    pattern:
      /(\b(?:x-[a-z-]{0,30}(?:key|token|secret|signature)|private-token|job-token)["'`]?\s{0,4}:\s{0,4}["'`]?)(?!\*\*\*)[^\s"'`,;]{6,}/gi,
    replacement: `$1${mask}`,
  },
  { pattern: /(\b(?:set-)?cookie["'`]?:\s{0,4}["'`]?)(?!\*\*\*)[^\r\n"'`]{6,}/gi, replacement: `$1${mask}` },
];

const urls: readonly SecretPattern[] = [
  // scheme://user:password@host, and a long token in the user's place
  { pattern: /(:\/\/[^\s/?#@:"'<>]{0,256}:)(?!\*\*\*@)[^\s/?#@"'<>]{1,1024}(?=@)/g, replacement: `$1${mask}` },
  { pattern: /(:\/\/)(?!\*\*\*@)[^\s/?#@:"'<>]{20,1024}(?=@)/g, replacement: `$1${mask}` },
];

/** Patterns, and what every text holds that one of them matches: most texts hold nothing of it and are done at once. */
export interface SecretGroup {
  readonly hint: RegExp;
  readonly patterns: readonly SecretPattern[];
}

/** In the order in which they are applied: whole tokens first, then what only its surroundings give away. */
export const secretGroups: readonly SecretGroup[] = [
  {
    hint: /slack|discord|feishu|lark|dingtalk|weixin|webhook/i,
    patterns: webhooks.map((pattern) => ({ pattern, replacement: `$1${mask}` })),
  },
  { hint: /:\/\//, patterns: urls },
  {
    hint: /\b(?:A(?:3T|KIA|SIA|BIA|CCA|GPA|IDA|ROA|IPA|NPA|NVA)|lin_|ntn_|shp|ops_|hv[sbr]\.|vc[piark]_|dapi|figd_|SK[0-9a-f]|\d{8,10}:AA|gh[pousr]_|github_pat_|gl[a-z]+[-_]|npm_|pypi-|dckr_|xox|xapp-|AIza|ya29\.|GOCSPX-|[sr]k[_-]|hf[_-]|gsk[_-]|xai[_-]|SG\.|whsec_|[MNO][\w-]{23}|eyJ)/,
    patterns: tokens.map((pattern) => ({ pattern, replacement: mask })),
  },
  { hint: /authorization|\bbearer\s|\bx-|-token|cookie/i, patterns: headers },
  {
    hint: /pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private|signing|encryption)[_-]?key|credential|_auth/i,
    patterns: assignments,
  },
];
