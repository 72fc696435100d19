// JSON as configuration files write it: with comments, trailing commas and a byte order mark.

/** Throws SyntaxError like JSON.parse. */
export function parseJsonc(text: string): unknown {
  return JSON.parse(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, ""))));
}

const stringOrComment = /"(?:\\.|[^"\\])*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g;

function withoutComments(text: string): string {
  return text.replace(stringOrComment, (match) => (match.startsWith('"') ? match : " "));
}

const stringOrComma = /"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g;

function withoutTrailingCommas(text: string): string {
  return text.replace(stringOrComma, (match) => (match.startsWith('"') ? match : ""));
}
