// The list of what the checks agent looks for; each loads its engine only when a file of the change needs it.
import type { CheckEngines } from "../../ports/check-engine.ts";
import type { Inspector } from "./complaint.ts";
import { createEngineInspector } from "./engine-inspector.ts";
import { createConflictInspector } from "./inspectors/conflict-markers.ts";
import { createDataInspector } from "./inspectors/data-syntax.ts";
import { createHiddenCharacterInspector } from "./inspectors/hidden-characters.ts";
import { createPythonInspector } from "./inspectors/python.ts";
import { createSecretInspector } from "./inspectors/secrets.ts";
import { createTextRuleInspector } from "./inspectors/text-rules.ts";
import { createTreeInspector } from "./inspectors/tree.ts";
import { createWorkflowInspector } from "./inspectors/workflows.ts";

/** @param engines oxlint, tsc and biome for a repository that is not trusted. */
export function createInspectors(engines: CheckEngines): readonly Inspector[] {
  return [
    createEngineInspector(engines),
    createSecretInspector(),
    createConflictInspector(),
    createHiddenCharacterInspector(),
    createDataInspector(),
    createPythonInspector(),
    createWorkflowInspector(),
    createTreeInspector(),
    createTextRuleInspector(),
  ];
}
