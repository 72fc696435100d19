// The files of the chat page, read once each when a browser first asks for them.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export interface PageAsset {
  readonly mediaType: string;
  readonly body: Uint8Array;
  readonly etag: string;
}

export type PageAssets = (path: string) => Promise<PageAsset | null>;

const mediaTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** @param directory the folder of the page; it holds no folders. */
export function createPageAssets(directory = pageDirectory()): PageAssets {
  const assets = new Map<string, Promise<PageAsset>>();

  async function load(name: string, mediaType: string): Promise<PageAsset> {
    const body = await readFile(`${directory}/${name}`);
    const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
    return { mediaType, body, etag: `"${digest}"` };
  }

  return async (path) => {
    const name = path === "/" ? "index.html" : path.slice(1);
    // The pattern admits no separator and no second dot, so no path leads out of the folder.
    const mediaType = mediaTypes[/^[a-z][a-z-]*\.([a-z]+)$/.exec(name)?.[1] ?? ""];
    if (mediaType === undefined) return null;
    const known = assets.get(name) ?? load(name, mediaType);
    assets.set(name, known);
    try {
      return await known;
    } catch (thrown) {
      assets.delete(name);
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw thrown;
    }
  };
}

/** Beside this file in the sources; in the bundles this code is in `dist/` or `dist/chunks/`, the page in `dist/page/`. */
function pageDirectory(): string {
  const beside = fileURLToPath(new URL("./page", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../page", import.meta.url));
}
