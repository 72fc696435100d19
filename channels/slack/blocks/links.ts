// Which addresses become links, and which labels would lie about where they lead.
import { plainText } from "../escape.ts";

/** Longest address that Slack takes in a button or an image. */
const MAX_ADDRESS = 3_000;

/**
 * The address as it may stand in a message; null for what is no plain web or mail address: other schemes, names and passwords
 * before the host (`https://bank.example@elsewhere.example`), hidden characters.
 */
export function webAddress(address: string): string | null {
  if (address.length > MAX_ADDRESS || /[\s\u0000-\u001f\u007f]/.test(address) || plainText(address) !== address)
    return null;
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === "mailto:") return encoded(url.href);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  if (url.username !== "" || url.password !== "" || url.hostname === "") return null;
  const href = encoded(url.href);
  return href.length > MAX_ADDRESS ? null : href;
}

/** The signs that would end `<address|label>` early. */
function encoded(address: string): string {
  return address.replace(
    /[<>|"`\\^{}]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

const withScheme = /[a-z][a-z0-9+.-]*:\/{2,}([^\s/?#]*)/gi;
/**
 * A bare host at the beginning of a word. File names look like hosts too (`setup.sh`, `main.py`, `README.md`), so only endings
 * that people read as an address count.
 */
const bareHost =
  /(?:^|[^\p{L}\p{N}._/@-])((?:[\p{L}\p{N}-]+\.)+(?:com|net|org|edu|gov|mil|int|info|biz|io|co|dev|app|ai|me|tv|xyz|online|site|shop|store|cloud|tech|top|club|live|news|blog|link|click|page|bank|zip|cn|uk|de|fr|ru|jp|kr|br|in|au|eu|us|ca|nl|it|es|vn|ch|at|se|no|fi|dk|tw|hk|sg))(?![a-z0-9-])/giu;
const worldWideWeb = /(www\.[\p{L}\p{N}.-]+)/giu;

/** Whether a label shows another host than the one it leads to. */
export function labelLies(label: string, address: string): boolean {
  if (!URL.canParse(address)) return true;
  const target = bare(new URL(address).hostname);
  // Full-width and other forms of a letter look like the letter; some hosts stand out only without that reading.
  const shown = [label, label.normalize("NFKC")].flatMap((text) =>
    [withScheme, bareHost, worldWideWeb].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, host]) => host ?? ""),
    ),
  );
  return shown.some((host) => bare(host) !== target);
}

function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^.*@/, "")
    .replace(/:\d*$/, "")
    .replace(/[.]+$/, "")
    .replace(/^www\./, "");
}
