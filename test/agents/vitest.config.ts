// The suite that installs the real command lines: opt-in, one agent at a time, and slow.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/agents/**/*.peer.ts"],
    environment: "node",
    pool: "forks",
    fileParallelism: false,
    retry: 0,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    globalSetup: ["test/global-setup.ts"],
  },
});
