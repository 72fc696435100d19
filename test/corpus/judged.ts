// Cards of the corpus that a person looked at and found right: real defects in released code.

/** `<package> <path without the version> <rule> <line text>` → why it is a defect. */
export const judgedTrue: ReadonlyMap<string, string> = new Map<string, string>([]);
