// The group `sandbox:` of the file: where agents run, and what one run of an agent may take.
import * as z from "zod";

const megabyte = 1024 * 1024;

export const sandboxSchema = z
  .strictObject({
    backend: z.enum(["auto", "native", "bubblewrap", "podman", "docker"]).default("auto").meta({
      description: "Where agents run. auto: bubblewrap, podman, docker or native, the first that works here.",
    }),
    require_isolation: z.boolean().default(false).meta({
      description: "true: a review fails rather than run without a wall around the agent's files and network.",
    }),
    image: z.string().min(1).optional().meta({
      description: "For podman and docker: an image with what the agents need. Default: this machine's own programs.",
    }),
    memory_mb: z.int().min(128).max(1_048_576).default(4_096).meta({ description: "Memory of one agent, MiB." }),
    processes: z.int().min(16).max(65_536).default(1_024).meta({
      description: "Processes of one agent; where the kernel counts, threads too.",
    }),
    idle_seconds: z.int().min(5).max(86_400).default(300).meta({
      description: "Seconds without output after which an agent counts as hung.",
    }),
    output_mb: z.int().min(1).max(4_096).default(64).meta({
      description: "Output of one agent, MiB; one that writes more is ended.",
    }),
  })
  .prefault({});

/** Settings of the sandbox, and bounds of one run, in the units of the code. */
export interface SandboxConfig {
  readonly backend: "auto" | "native" | "bubblewrap" | "podman" | "docker";
  readonly requireIsolation: boolean;
  readonly image?: string;
  readonly limits: { readonly memoryBytes: number; readonly processes: number };
  /** ms. */
  readonly idleMs: number;
  readonly maxOutputBytes: number;
}

export function sandboxConfigOf(group: z.output<typeof sandboxSchema>): SandboxConfig {
  return {
    backend: group.backend,
    requireIsolation: group.require_isolation,
    ...(group.image === undefined ? {} : { image: group.image }),
    limits: { memoryBytes: group.memory_mb * megabyte, processes: group.processes },
    idleMs: group.idle_seconds * 1_000,
    maxOutputBytes: group.output_mb * megabyte,
  };
}
