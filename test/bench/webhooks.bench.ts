// GitHub pushes of 96 KB, acknowledged durably, against Probot's handler that does nothing; and at a gentle pace.
import { execFileSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bench, median } from "./bench.ts";
import { bundleServer, type Peer, peerFile, secret, start } from "./webhook-peers.ts";

const connections = 16;
const pushesEach = 25;
const bodyBytes = 96 * 1024;
const rounds = 7;
/** Open loop: pushes a second, and for how many seconds. */
const pace = 50;
const paceSeconds = 10;

interface SignedPush {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export const bench: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), "aicr-bench-"));
  const probotIsThere = installProbot();
  const peers: Peer[] = [];
  const startPeer = async (file: string): Promise<Peer> => {
    const peer = await start(file, folder);
    peers.push(peer);
    return peer;
  };
  try {
    const ours = await startPeer(await bundleServer());
    const other = await startPeer(peerFile(probotIsThere ? "probot-server.mjs" : "floor-server.mjs"));
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const times = { ours: [] as number[], other: [] as number[] };
    // The first round warms both up and does not count.
    for (let round = 0; round < rounds; round++) {
      times.ours.push(await flood(ours, agent));
      times.other.push(await flood(other, agent));
    }
    const rate = (name: keyof typeof times): number =>
      (connections * pushesEach * 1_000) / median(times[name].slice(1));
    const latencies = await keepPace(ours, agent);
    agent.destroy();
    return [
      {
        name: "durable acknowledgements, 16 connections, 96 KB",
        value: rate("ours") / rate("other"),
        comparison: "at least",
        limit: 0.7,
        note: `${Math.round(rate("ours"))}/s durable against ${Math.round(rate("other"))}/s of ${
          probotIsThere ? "Probot's no-op handler" : "bare http, HMAC and JSON.parse (Probot could not be installed)"
        }, which keep nothing`,
      },
      {
        name: `p99 at ${pace} pushes a second, ms`,
        value: percentile(latencies, 0.99),
        comparison: "at most",
        limit: 50,
        note: `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, longest ${percentile(latencies, 1).toFixed(1)} ms`,
      },
    ];
  } finally {
    for (const peer of peers) peer.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Sends a batch as fast as it is answered; gives the time, ms. Bodies are made and signed before the clock starts. */
async function flood(peer: Peer, agent: Agent): Promise<number> {
  const pushes = makePushes(connections * pushesEach);
  const started = performance.now();
  await Promise.all(pushes.map((push) => send(peer, push, agent)));
  return performance.now() - started;
}

/** Installs what test/bench/package.json names, unless it is there; false where that fails. */
function installProbot(): boolean {
  const place = fileURLToPath(new URL(".", import.meta.url));
  if (existsSync(join(place, "node_modules", "probot"))) return true;
  try {
    execFileSync("npm", ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: place,
      stdio: "ignore",
      timeout: 300_000,
    });
    return true;
  } catch {
    return false;
  }
}

/** Pushes to fifty branches, each with a head of its own. */
function makePushes(count: number): SignedPush[] {
  const commits = manyCommits(bodyBytes);
  return Array.from({ length: count }, (_, n) => {
    const body = Buffer.from(
      JSON.stringify({
        ref: `refs/heads/branch-${n % 50}`,
        before: randomBytes(20).toString("hex"),
        after: randomBytes(20).toString("hex"),
        repository,
        pusher: { name: "alice", email: "alice@example.com" },
        sender: person,
        installation: { id: 1, node_id: "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMQ==" },
        created: false,
        deleted: false,
        forced: false,
        base_ref: null,
        commits,
        head_commit: commits.at(-1),
      }),
    );
    return {
      body,
      headers: {
        "content-type": "application/json",
        "content-length": String(body.length),
        "x-github-event": "push",
        "x-github-delivery": randomBytes(16).toString("hex"),
        "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
    };
  });
}

const urls = (base: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${name}_url`, `${base}/${name}{/id}`]));

const person = {
  login: "alice",
  id: 21031067,
  type: "User",
  site_admin: false,
  ...urls("https://api.example.com/users/alice", [
    "followers",
    "gists",
    "starred",
    "repos",
    "events",
    "received_events",
  ]),
};

const repository = {
  id: 186853002,
  name: "game",
  full_name: "team/game",
  private: true,
  owner: person,
  html_url: "https://git.example.com/team/game",
  clone_url: "https://git.example.com/team/game.git",
  ssh_url: "git@git.example.com:team/game.git",
  ...urls("https://api.example.com/repos/team/game", [
    ...["forks", "keys", "collaborators", "teams", "hooks", "issue_events", "events", "assignees", "branches", "tags"],
    ...["blobs", "git_tags", "git_refs", "trees", "statuses", "languages", "stargazers", "contributors", "subscribers"],
    ...["subscription", "commits", "git_commits", "comments", "issue_comment", "contents", "compare", "merges"],
    ...["archive", "downloads", "issues", "pulls", "milestones", "notifications", "labels", "releases", "deployments"],
  ]),
  default_branch: "main",
};

/** Commits as GitHub tells them, as many as make a body of that size. */
function manyCommits(bytes: number): readonly object[] {
  const commits: object[] = [];
  const by = { name: "Alice Example", email: "alice@example.com", username: "alice" };
  for (let size = JSON.stringify(repository).length; size < bytes; ) {
    const id = randomBytes(20).toString("hex");
    const commit = {
      id,
      tree_id: randomBytes(20).toString("hex"),
      distinct: true,
      message: `Keep the score when a round ends early (#${commits.length})`,
      timestamp: "2025-01-01T00:00:00Z",
      url: `https://git.example.com/team/game/commit/${id}`,
      author: by,
      committer: by,
      added: [],
      removed: [],
      modified: ["src/round/score.ts", "src/round/end-of-round.ts", "test/unit/round/score.test.ts"],
    };
    commits.push(commit);
    size += JSON.stringify(commit).length + 1;
  }
  return commits;
}

function send({ port, path }: Peer, { body, headers }: SignedPush, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent }, (answer) => {
      answer.resume();
      answer.on("end", () => {
        if (answer.statusCode === 200 || answer.statusCode === 202) resolve();
        else reject(new Error(`${path} answered ${answer.statusCode}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends at fixed moments, whatever the answers do; gives the time of each, ms. */
async function keepPace(peer: Peer, agent: Agent): Promise<readonly number[]> {
  const pushes = makePushes(pace * paceSeconds);
  const latencies: number[] = [];
  const answers: Promise<void>[] = [];
  const begin = performance.now();
  for (const [n, push] of pushes.entries()) {
    const due = begin + (n * 1_000) / pace;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const started = performance.now();
    answers.push(send(peer, push, agent).then(() => void latencies.push(performance.now() - started)));
  }
  await Promise.all(answers);
  return latencies;
}

function percentile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? Number.NaN;
}
