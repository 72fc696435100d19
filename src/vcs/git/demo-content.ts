// The story of the demo repository, commit by commit; its defects are data here and never code of ours.

interface DemoFile {
  readonly path: string;
  /** null deletes the file. */
  readonly content: string | Uint8Array | null;
}

export interface DemoCommit {
  readonly ref: "refs/heads/main" | "refs/heads/feature/discounts";
  /** The commit that a branch starts from, as an index into the story. */
  readonly from?: number;
  readonly author: { readonly name: string; readonly email: string };
  /** ISO 8601. */
  readonly at: string;
  readonly message: string;
  readonly files: readonly DemoFile[];
  /** An annotated tag on this commit. */
  readonly tag?: string;
}

const linh = { name: "Linh Tran", email: "linh@orders.example" };
const mateo = { name: "Mateo Ruiz", email: "mateo@orders.example" };

const lines = (...text: readonly string[]): string => `${text.join("\n")}\n`;

const packageJson = (version: string): string =>
  `${JSON.stringify({ name: "orders", version, private: true, type: "module", scripts: { start: "node src/server.ts" } }, null, 2)}\n`;

const lockFile = (version: string): string =>
  `${JSON.stringify({ name: "orders", version, lockfileVersion: 3, requires: true, packages: { "": { name: "orders", version } } }, null, 2)}\n`;

const ordersV1 = lines(
  "export interface Item {",
  "  name: string;",
  "  price: number;",
  "  quantity: number;",
  "}",
  "",
  "/** The price of an order in cents. */",
  "export function total(items: Item[]): number {",
  "  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);",
  "}",
);

const server = lines(
  'import { createServer } from "node:http";',
  'import { total } from "./orders.ts";',
  "",
  "const port = Number(process.env.PORT ?? 3000);",
  "",
  "createServer((request, response) => {",
  '  if (request.url !== "/orders/total") {',
  "    response.writeHead(404).end();",
  "    return;",
  "  }",
  '  let body = "";',
  '  request.on("data", (chunk) => {',
  "    body += chunk;",
  "  });",
  '  request.on("end", () => {',
  "    response.end(JSON.stringify({ total: total(JSON.parse(body)) }));",
  "  });",
  "}).listen(port);",
);

const readme = lines(
  "# Orders",
  "",
  "A small service that adds up orders.",
  "",
  '    curl -d \'[{"name":"tea","price":450,"quantity":2}]\' localhost:3000/orders/total',
);

const format = lines(
  "/** Cents as people read them: 1234 is 12.34. */",
  "export function formatPrice(cents: number): string {",
  "  return (cents / 100).toFixed(2);",
  "}",
);

const shipping = lines(
  'import { type Item, total } from "./orders.ts";',
  "",
  "/** Orders from this price on are sent free of charge, cents. */",
  "const FREE_FROM = 5000;",
  "const FEE = 490;",
  "",
  "export function shippingFee(items: Item[]): number {",
  "  return total(items) >= FREE_FROM ? 0 : FEE;",
  "}",
);

/** A 1×1 transparent PNG. */
const logo = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

// Put together from pieces, so that no scanner takes our own source for a leak. They open nothing anywhere.
const fakeAccessKey = ["AKIA", "Q7DEMO5X", "WY2KPL3M"].join("");
const fakeSecretKey = ["d3MoK3y", "uR8vTq1", "ZsXw6Yb0", "NfGh2LpJ", "c5Ae9RiV4t"].join("/").slice(0, 40);
const conflict = { ours: "<".repeat(7), middle: "=".repeat(7), theirs: ">".repeat(7) };
/** Right-to-left override and its end: the line shows in another order than it runs. */
const [rightToLeft, popDirection] = ["\u202e", "\u202c"];

/** Oldest first. The refs end at the last commit of each. */
export const story: readonly DemoCommit[] = [
  // 0: the root commit; its base is the empty tree.
  {
    ref: "refs/heads/main",
    author: linh,
    at: "2026-01-05T09:12:00Z",
    message: "Add up orders\n\nA service with one route.",
    files: [
      { path: "README.md", content: readme },
      { path: "package.json", content: packageJson("0.1.0") },
      { path: "package-lock.json", content: lockFile("0.1.0") },
      { path: "src/orders.ts", content: ordersV1 },
      { path: "src/server.ts", content: server },
    ],
  },
  // 1: clean code.
  {
    ref: "refs/heads/main",
    author: mateo,
    at: "2026-01-06T14:40:00Z",
    message: "Show prices as people read them",
    files: [{ path: "src/format.ts", content: format }],
  },
  // 2: documentation only.
  {
    ref: "refs/heads/main",
    author: linh,
    at: "2026-01-08T08:05:00Z",
    message: "Say how prices are kept",
    files: [
      { path: "docs/prices.md", content: lines("# Prices", "", "All prices are whole cents, so that sums are exact.") },
    ],
  },
  // 3: release; the tag v1.0.0 stands here.
  {
    ref: "refs/heads/main",
    author: linh,
    at: "2026-01-12T10:00:00Z",
    message: "Release 1.0.0",
    files: [
      { path: "package.json", content: packageJson("1.0.0") },
      { path: "CHANGELOG.md", content: lines("# Changelog", "", "## 1.0.0", "", "- First release.") },
    ],
    tag: "v1.0.0",
  },
  // 4: a lock file and a picture: nothing to review (no_reviewable_code).
  {
    ref: "refs/heads/main",
    author: mateo,
    at: "2026-01-12T10:20:00Z",
    message: "Refresh the lock file and add the logo",
    files: [
      { path: "package-lock.json", content: lockFile("1.0.0") },
      { path: "docs/logo.png", content: logo },
    ],
  },
  // 5: feature/discounts begins with a clean commit …
  {
    ref: "refs/heads/feature/discounts",
    from: 4,
    author: mateo,
    at: "2026-01-13T09:30:00Z",
    message: "Take a percentage off an order",
    files: [
      {
        path: "src/discounts.ts",
        content: lines(
          "/** @param percent 0 to 100. */",
          "export function discounted(cents: number, percent: number): number {",
          "  return Math.round(cents * (1 - percent / 100));",
          "}",
        ),
      },
    ],
  },
  // 6: … and goes on with a problem: a condition that is always true.
  {
    ref: "refs/heads/feature/discounts",
    author: mateo,
    at: "2026-01-13T16:45:00Z",
    message: "Give regular customers five percent",
    files: [
      {
        path: "src/discounts.ts",
        content: lines(
          "/** @param percent 0 to 100. */",
          "export function discounted(cents: number, percent: number): number {",
          "  return Math.round(cents * (1 - percent / 100));",
          "}",
          "",
          "export function loyaltyPercent(orders: number): number {",
          "  if (orders > 10 || true) {",
          "    return 5;",
          "  }",
          "  return 0;",
          "}",
        ),
      },
    ],
  },
  // 7: HEAD~1 of main, clean: a review of it stays silent.
  {
    ref: "refs/heads/main",
    author: linh,
    at: "2026-01-14T11:15:00Z",
    message: "Charge for shipping\n\nFree from 50.00 on.",
    files: [{ path: "src/shipping.ts", content: shipping }],
  },
  // 8: HEAD of main, with one defect of each kind that a static agent finds.
  {
    ref: "refs/heads/main",
    author: mateo,
    at: "2026-01-15T17:58:00Z",
    message: "Send receipts\n\nStored in the archive bucket, mailed on request.",
    files: [
      // A key that looks leaked.
      {
        path: "config/archive.env",
        content: lines(
          "ARCHIVE_BUCKET=orders-archive",
          `AWS_ACCESS_KEY_ID=${fakeAccessKey}`,
          `AWS_SECRET_ACCESS_KEY=${fakeSecretKey}`,
        ),
      },
      // A comma too many: no JSON.
      {
        path: "config/receipts.json",
        content: lines("{", '  "sender": "receipts@orders.example",', '  "copies": 2,', "}"),
      },
      // A duplicate key, a condition that is always true, an unused variable, a string where a number belongs.
      {
        path: "src/receipts.ts",
        content: lines(
          'import { formatPrice } from "./format.ts";',
          'import { type Item, total } from "./orders.ts";',
          "",
          'const retries: number = "3";',
          "",
          "const labels = {",
          '  paid: "Paid",',
          '  open: "Open",',
          '  paid: "Settled",',
          "};",
          "",
          "export function receipt(items: Item[], paid: boolean): string {",
          "  const now = new Date();",
          "  if (paid || true) {",
          "    return labels.paid.concat(': ', formatPrice(total(items)));",
          "  }",
          "  return labels.open;",
          "}",
          "",
          "export { retries };",
        ),
      },
      // A text that shows in another order than it compiles.
      {
        path: "src/access.ts",
        content: lines(
          "export function mayReadReceipts(role: string): boolean {",
          `  // only the ${rightToLeft}nimda${popDirection} may`,
          '  return role === "admin";',
          "}",
        ),
      },
      // A merge that was committed half done.
      {
        path: "docs/receipts.md",
        content: lines(
          "# Receipts",
          "",
          `${conflict.ours} HEAD`,
          "A receipt is stored for ten years.",
          conflict.middle,
          "A receipt is stored for seven years.",
          `${conflict.theirs} receipts`,
        ),
      },
    ],
  },
];
