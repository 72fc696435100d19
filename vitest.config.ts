// Runs every suite under test/ but the benchmarks; peers that are missing skip with their reason unless AICR_REQUIRE_PEERS=1.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "test/fixtures/**", "node_modules/**"],
    environment: "node",
    pool: "forks",
    retry: 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/property-runs.ts"],
    coverage: { provider: "v8", include: ["src/**", "channels/**"], reporter: ["text-summary", "html"] },
  },
});
