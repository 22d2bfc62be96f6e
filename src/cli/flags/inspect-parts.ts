// Parts of a kernel that `inspect --only` names.

export const inspectParts = ["expression", "space", "schedule", "typescript", "nest", "passes", "code"] as const;

export type InspectPart = (typeof inspectParts)[number];
