/** The exit codes, and what each means. 64, 70 and 78 are those of sysexits.h. */
export const exitCodes = { ok: 0, failure: 1, usage: 64, internalError: 70, config: 78, interrupted: 130 } as const

/** What each of them means, as the help says it. */
export const exitCodeMeanings: Readonly<Record<number, string>> = {
  [exitCodes.ok]: 'done',
  [exitCodes.failure]: 'something was refused or found faulty; the output says what',
  [exitCodes.usage]: 'the command line, or the name of a setting, is wrong; nothing was done',
  [exitCodes.internalError]: 'a fault of ours, shown whole on standard error',
  [exitCodes.config]: 'the configuration or the data folder cannot be used; nothing was changed',
  [exitCodes.interrupted]: 'interrupted; the same command goes on from there',
}
