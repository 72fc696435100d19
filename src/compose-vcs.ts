// Makes the adapter of a configured repository; its code is loaded, and the demo generated, when it is first asked for something.
import { join } from "node:path";
import type { RepositoryConfig } from "./config/config.ts";
import type { Clock } from "./ports/clock.ts";
import type { Vcs } from "./ports/vcs.ts";
import { processes } from "./process/spawn.ts";

export function createVcs(repository: RepositoryConfig, cacheDir: string, clock: Clock): Vcs {
  const { alias, source, defaultBranch } = repository;
  const common = { repository: alias, cacheDir, processes, clock };
  const git = { ...common, ...(defaultBranch === undefined ? {} : { defaultBranch }) };
  switch (source.kind) {
    case "path":
    case "url":
      return onFirstUse("git", alias, async () => {
        const { createGitVcs } = await import("./vcs/git/git-vcs.ts");
        return createGitVcs({ ...git, source });
      });
    case "demo":
      return onFirstUse("git", alias, async () => {
        const { createDemoRepository } = await import("./vcs/git/demo.ts");
        await createDemoRepository(source.path, { processes, clock });
        const { createGitVcs } = await import("./vcs/git/git-vcs.ts");
        return createGitVcs({ ...git, source: { kind: "path", path: source.path } });
      });
    case "svn":
      return onFirstUse("svn", alias, async () => {
        const { createSvnVcs } = await import("./vcs/svn/svn-vcs.ts");
        const { url, credentials = {} } = source;
        return createSvnVcs({ ...common, url, ...credentials, allowFileUrls: url.startsWith("file:") });
      });
    case "p4":
      return onFirstUse("p4", alias, async () => {
        const { createP4Vcs } = await import("./vcs/p4/p4-vcs.ts");
        const { port, user, password, depotPath, charset, fingerprint } = source;
        return createP4Vcs({
          ...common,
          // Its settings and tickets are its own: another repository may use another account of the same server.
          cacheDir: join(cacheDir, alias),
          port,
          user,
          depotPath,
          ...(password === undefined ? {} : { password }),
          ...(charset === undefined ? {} : { charset }),
          ...(fingerprint === undefined ? {} : { trustFingerprint: fingerprint }),
        });
      });
  }
}

/** What could not be made is made again with the next call. */
function onFirstUse(kind: Vcs["kind"], repository: string, make: () => Promise<Vcs>): Vcs {
  let made: Promise<Vcs> | null = null;
  const ready = (): Promise<Vcs> => {
    made ??= make().catch((thrown: unknown) => {
      made = null;
      throw thrown;
    });
    return made;
  };
  return {
    kind,
    repository,
    resolve: async (...given) => (await ready()).resolve(...given),
    listChanges: async (...given) => (await ready()).listChanges(...given),
    diff: async (...given) => (await ready()).diff(...given),
    materialise: async (...given) => (await ready()).materialise(...given),
    fetchExtraContext: async (...given) => (await ready()).fetchExtraContext(...given),
    fetchAttribution: async (...given) => (await ready()).fetchAttribution(...given),
    poll: async (...given) => (await ready()).poll(...given),
    isAncestor: async (...given) => (await ready()).isAncestor(...given),
    check: async (...given) => (await ready()).check(...given),
  };
}
