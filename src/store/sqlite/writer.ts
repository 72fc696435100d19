// How the store reaches its one writing connection, wherever that runs, and what travels to and from a writer thread.
import type { WireFault } from "./faults.ts";
import type { Migrated } from "./migrate.ts";
import type { OpenOptions } from "./open.ts";
import type { OperationName, Operations } from "./operations.ts";

export interface Writer {
  readonly migrated: Migrated;
  /** Resolves after the commit; rejects with an AppError. */
  write<N extends OperationName>(name: N, ...args: Parameters<Operations[N]>): Promise<ReturnType<Operations[N]>>;
  /** Finishes what was asked for, then lets go of the file. */
  close(): Promise<void>;
  /** Why no more writes are possible, or undefined. */
  lost(): string | undefined;
}

/** One call: its number, the operation, the arguments. */
export type WireCall = readonly [id: number, name: OperationName, args: readonly unknown[]];

/** One answer: the call's number, then its value or its fault. */
export type WireAnswer = readonly [id: number, value: unknown, fault?: WireFault];

/** What the thread is started with. */
export type WriterData = OpenOptions;

export type ToWriter = { readonly kind: "calls"; readonly calls: readonly WireCall[] } | { readonly kind: "close" };

export type FromWriter =
  | { readonly kind: "ready"; readonly migrated: Migrated }
  | { readonly kind: "refused"; readonly fault: WireFault }
  | { readonly kind: "answers"; readonly answers: readonly WireAnswer[] };

/** The name and the arguments were checked against each other by the type of `Writer.write`. */
export function callOperation(operations: Operations, name: OperationName, args: readonly unknown[]): unknown {
  return Reflect.apply(operations[name], undefined, args);
}
