// What the five tools answer: zod schemas for the output, from which the listed JSON Schemas are made.
import * as z from "zod";

const accepted = z.boolean().meta({ description: "True once the call is on disk." });

const pending = z.literal(true).meta({
  description: "The answer comes in a follow-up pass; go on with the review and do not repeat the call.",
});

export const reportProblemOutput = z.object({
  accepted,
  problemCount: z.int().min(0).meta({ description: "Problems of this pass so far." }),
  duplicate: z.literal(true).optional().meta({ description: "The same problem was reported before and counts once." }),
});

export const publishSummaryOutput = z.object({
  accepted,
  summaryCount: z.int().min(0).meta({ description: "Summaries of this pass so far." }),
});

export const skipOutput = z.object({ accepted, reason: z.string() });

export const contextAnswer = z.object({
  path: z.string(),
  text: z.string(),
  firstLine: z.int().min(0).meta({ description: "Line number of the text's first line." }),
  totalLines: z.int().min(0),
  truncated: z.boolean().meta({ description: "True when there is more than the text shows." }),
});

export const attributionAnswer = z.object({
  path: z.string(),
  status: z.enum(["ok", "partial", "not_found"]),
  entries: z.array(
    z.object({
      line: z.int(),
      revision: z.string(),
      author: z.string(),
      authorEmail: z.string().optional(),
      time: z.number().optional().meta({ description: "ms since the epoch" }),
      summary: z.string().optional(),
    }),
  ),
});

// MCP wants an object at the schema's root, so the two possible answers share one object whose fields are all optional.
const later = { accepted: z.literal(true).optional(), pending: pending.optional() };

export const fetchMoreContextOutput = z.object({ ...contextAnswer.partial().shape, ...later });

export const tryBlameOutput = z.object({ ...attributionAnswer.partial().shape, ...later });
