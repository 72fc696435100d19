// How much harm a mistake in a file can do, as far as its path tells: what is read first, and what nobody should wave through.

export type Risk = "high" | "normal" | "low";

/** Words of a path, apart and in lower case, behind which money, secrets, rights or data are decided. */
const riskyWords = new Set([
  ...["auth", "authn", "authz", "authentication", "authenticator", "authorise", "authorize", "authorisation"],
  ...["authorization", "oauth", "oidc", "saml", "sso", "login", "logout", "signin", "signup", "session", "sessions"],
  ...["password", "passwords", "passwd", "credential", "credentials", "secret", "secrets", "token", "tokens", "jwt"],
  ...["permission", "permissions", "acl", "rbac", "iam", "privilege", "privileges", "sudo", "sudoers", "admin"],
  ...["security", "sanitise", "sanitize", "sanitizer", "csrf", "xss", "cors", "sandbox"],
  ...["crypto", "cryptography", "cipher", "encrypt", "encryption", "decrypt", "decryption", "keystore", "hmac", "tls"],
  ...["payment", "payments", "billing", "checkout", "invoice", "invoices", "refund", "refunds", "wallet", "payout"],
  ...["migration", "migrations", "migrate", "deploy", "deployment", "release"],
]);

/** Files that are run, or believed, by machines that build, deploy or review. */
const riskyFiles = [
  /^\.(?:github|gitlab|circleci|buildkite|gitea|forgejo)\//,
  /(?:^|\/)(?:\.gitlab-ci\.ya?ml|jenkinsfile|azure-pipelines\.ya?ml|\.travis\.yml|bitbucket-pipelines\.yml|\.drone\.yml)$/,
  /^\.ci\//,
  /(?:^|\/)(?:dockerfile(?:\.[\w.-]+)?|(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml|[\w.-]+\.dockerfile)$/,
  /\.(?:tf|tfvars|hcl|nomad)$/,
  /(?:^|\/)(?:k8s|kubernetes|helm|charts|ansible|terraform)\//,
  /(?:^|\/)\.env(?:\.[\w.-]+)?$/,
  /(?:^|\/)(?:package\.json|\.npmrc|pyproject\.toml|setup\.py|build\.gradle(?:\.kts)?|pom\.xml|makefile|cmakelists\.txt)$/,
  /(?:^|\/)(?:nginx|httpd|sshd|haproxy|envoy)[\w.-]*\.(?:conf|ya?ml)$/,
  /(?:^|\/)(?:codeowners|agents\.md|claude\.md|gemini\.md|\.cursorrules|\.mcp\.json|\.goosehints)$/,
  /(?:^|\/)\.(?:claude|cursor|codex|gemini|opencode|kilocode|vscode|husky)\//,
  /\.(?:sql|ddl)$/,
];

const documents = /\.(?:md|mdx|markdown|rst|txt|adoc|org|tex)$/;
const tests =
  /(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures|__mocks__|e2e)\/|(?:[._-](?:test|spec)s?\.[\w]+$)|(?:^|\/)test_[\w-]+\.py$|(?:_test\.(?:go|py|rb|cc|cpp))$|(?:tests?\.(?:cs|java|kt|swift))$/;
const examples = /(?:^|\/)(?:examples?|samples?|demos?|locales?|i18n|docs?)\//;

/** @param path repository-relative, with slashes. */
export function riskOf(path: string): Risk {
  const lower = path.toLowerCase();
  if (riskyFiles.some((pattern) => pattern.test(lower))) return "high";
  if (documents.test(lower)) return "low";
  const isAside = tests.test(lower) || examples.test(lower);
  const isRisky = wordsOf(path).some((word) => riskyWords.has(word));
  if (isRisky) return isAside ? "normal" : "high";
  return isAside ? "low" : "normal";
}

/** `src/userAuth/OAuthClient.ts` → src, user, auth, oauth, client, ts. */
function wordsOf(path: string): readonly string[] {
  return path
    .replace(/OAuth/g, "Oauth")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
}
