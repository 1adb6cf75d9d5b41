/** The exit codes, and what each means. 64, 70 and 78 are those of sysexits.h. */
export const exits = { done: 0, refused: 1, usage: 64, fault: 70, config: 78, interrupted: 130 } as const

/** What each of them means, as the help says it. */
export const exitMeanings: Readonly<Record<number, string>> = {
  [exits.done]: 'done',
  [exits.refused]: 'something was refused or found faulty; the output says what',
  [exits.usage]: 'the command line, or the name of a setting, is wrong; nothing was done',
  [exits.fault]: 'a fault of ours, shown whole on standard error',
  [exits.config]: 'the configuration or the data folder cannot be used; nothing was changed',
  [exits.interrupted]: 'interrupted; the same command goes on from there',
}
