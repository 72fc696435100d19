// Writes reviews through the bundled writer thread and says on stdout what was acknowledged, until somebody kills it.
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

const [file, entry, run] = process.argv.slice(2);
const worker = new Worker(entry, { workerData: { file } });
const waiting = new Map();
let calls = 0;

function call(name, ...args) {
  const id = calls++;
  worker.postMessage({ kind: "calls", calls: [[id, name, args]] });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** Synchronous, so that nothing said here was not acknowledged, and nothing acknowledged stays unsaid for long. */
function say(what, id) {
  writeSync(1, `${what} ${id}\n`);
}

async function oneFlow(flow) {
  for (let n = 0; ; n++) {
    const id = `${run}x${flow}x${n}`;
    const now = 1_000_000 + n;
    await call("acceptReview", {
      review: `rv_${id}`,
      job: `jb_${id}`,
      inbox: { source: "drill", key: id },
      jobKey: id,
      coalesce: false,
      repository: "demo",
      spec: id,
      agent: "checks",
      paths: [],
      locale: "en",
      requester: { kind: "feed", feed: "drill" },
      now,
    });
    say("accepted", id);
    const token = `token-${id}`;
    const job = await call("claimJob", { worker: run, token, leaseMs: 1, maxAttempts: 1_000, now: 2_000_000 });
    if (job === null) continue;
    const reviewed = job.review.slice("rv_".length);
    const done = await call("finishReview", finished(job, token, reviewed, id));
    if (done) say("finished", reviewed);
  }
}

function finished(job, token, reviewed, unique) {
  const numbers = [0, 1, 2];
  return {
    job: job.id,
    token,
    review: job.review,
    status: "clean",
    skipReason: null,
    failure: null,
    timings: JSON.stringify({ queuedMs: 0, resolveMs: 0, materialiseMs: 0, agentMs: 0, totalMs: 0 }),
    summaries: "[]",
    answeredFrom: null,
    problems: [],
    findings: numbers.map((n) => [
      `fd_${unique}${n}`,
      `${reviewed}-${n}`,
      "f",
      "c",
      "low",
      "t",
      "a",
      "main",
      "r",
      "open",
      1,
      `${reviewed}-${n}`,
    ]),
    deliveries: numbers.map((n) => ({
      id: `dl_${unique}${n}`,
      kind: "report",
      review: job.review,
      channel: "web",
      workspace: "local",
      conversation: `c${n}`,
      thread: null,
      onlyChannel: null,
      onlyWorkspace: null,
      onlyPerson: null,
      onlyName: null,
      locale: "en",
      threadKey: null,
      reason: null,
      facts: null,
      dueAt: null,
    })),
    now: 2_000_000,
  };
}

worker.on("message", (message) => {
  if (message.kind === "refused") throw new Error(message.fault.message);
  if (message.kind === "ready") for (let flow = 0; flow < 4; flow++) void oneFlow(flow);
  if (message.kind !== "answers") return;
  for (const [id, value, fault] of message.answers) {
    const call = waiting.get(id);
    waiting.delete(id);
    if (fault === undefined) call.resolve(value);
    else call.reject(new Error(fault.detail ?? fault.message));
  }
});
