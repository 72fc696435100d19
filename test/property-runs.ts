// Every run of the suite tries the same cases, so that a failure is the change's and not the day's; `npm run explore` tries new ones.
import fc from "fast-check";

const { AICR_EXPLORE: explore } = process.env;

/** Cases of a property that names no number of its own while exploring. */
const exploringRuns = 1_000;

fc.configureGlobal(
  explore === undefined ? { seed: 20_260_101 } : { seed: Number(explore) || Date.now(), numRuns: exploringRuns },
);
