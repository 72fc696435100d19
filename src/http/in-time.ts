// Bounds how long a request may wait for its answer.

/** The answer, or what `late` makes when it takes longer than `limitMs`. */
export async function inTime<Answer>(answer: Promise<Answer>, limitMs: number, late: () => Answer): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => resolve(late()), limitMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
