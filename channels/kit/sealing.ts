// Seals what must not lie readable at rest (tokens of installations) with AES-256-GCM, under keys that can be changed.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { AppError } from "../../src/core/errors.ts";

export interface Sealing {
  /**
   * Seals under the first key.
   * @param context what the text belongs to; it opens under the same context only, so that rows cannot be exchanged.
   */
  seal(text: string, context: string): string;
  /** Throws AppError `corrupt` when the text was altered or is of another context, `config` when none of the keys sealed it. */
  open(sealed: string, context: string): string;
  /** Whether it was sealed under a key that is not the first any more: seal it anew. */
  isOld(sealed: string): boolean;
}

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

const version = "v1";
const ivBytes = 12;
const tagBytes = 16;

/**
 * To change the key, put the new one first and keep the old one behind it until everything was sealed anew.
 * Throws AppError `config` when there is no key, or one is not of 32 bytes.
 * @param given keys of 32 bytes each, as base64 or hex, with the name by which the operator knows it.
 */
export function createSealing(given: readonly { readonly name: string; readonly key: string }[]): Sealing {
  const keys = given.map(({ name, key }) => readKey(name, key));
  const [newest] = keys;
  if (newest === undefined) {
    throw new AppError("config", "No key was given for sealing tokens.", {
      remedy: "Name a variable that holds 32 random bytes, such as the output of: openssl rand -base64 32.",
    });
  }

  return {
    seal(text, context) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", newest.bytes, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(context, "utf8"));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return [version, newest.id, Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")].join(".");
    },
    open(sealed, context) {
      const { id, bytes } = partsOf(sealed);
      const key = keys.find((one) => one.id === id);
      if (key === undefined) {
        throw new AppError("config", "A token was sealed under a key that is not configured.", {
          remedy: "Put the earlier key back, behind the new one, or install the app again.",
        });
      }
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, ivBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(context, "utf8"));
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw corrupt(cause);
      }
    },
    isOld: (sealed) => partsOf(sealed).id !== newest.id,
  };
}

function partsOf(sealed: string): { readonly id: string; readonly bytes: Buffer } {
  const [found, id, body, ...rest] = sealed.split(".");
  if (found !== version || id === undefined || body === undefined || rest.length > 0) throw corrupt();
  const bytes = Buffer.from(body, "base64url");
  if (bytes.length < ivBytes + tagBytes || bytes.toString("base64url") !== body) throw corrupt();
  return { id, bytes };
}

function corrupt(cause?: unknown): AppError {
  return new AppError(
    "corrupt",
    "A sealed token cannot be opened: it was altered, or belongs to another installation.",
    {
      remedy: "Install the app again in that workspace.",
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

function readKey(name: string, text: string): Key {
  const trimmed = text.trim();
  const isHex = /^[0-9a-f]{64}$/i.test(trimmed);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed);
  const bytes = isHex ? Buffer.from(trimmed, "hex") : isBase64 ? Buffer.from(trimmed, "base64") : Buffer.alloc(0);
  if (bytes.length !== 32) {
    throw new AppError("config", `The variable ${name} holds no key of 32 bytes.`, {
      remedy: "Put 32 random bytes as base64 or hex there, such as the output of: openssl rand -base64 32.",
    });
  }
  // Only the hash of a hash is told: it names the key without helping anybody to guess it.
  const id = createHash("sha256").update("aicr key id").update(bytes).digest("hex").slice(0, 12);
  return { id, bytes };
}
