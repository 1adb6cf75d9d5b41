/** How many cases are in progress, so that one is checked while another process computes for the next one. */
const inProgress = 3

/** Runs a case this many times, a few of them at a time. */
export async function forEachOverlapping(cases: number, run: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: inProgress }, async () => {
      while (next < cases) await run(next++)
    }),
  )
}
