/** The exit codes. 64, 70, 75 and 78 come from sysexits.h. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  incomplete: 2,
  usage: 64,
  internalError: 70,
  temporaryFailure: 75,
  config: 78,
  interrupted: 130,
} as const

/** The meaning of each exit code, as the help shows it. */
export const exitCodeMeanings: Readonly<Record<number, string>> = {
  [exitCodes.ok]: 'Success.',
  [exitCodes.failure]: 'The request was rejected, or a check failed. The output gives the reason.',
  [exitCodes.incomplete]: 'Only with `run --strict`: every location was answered, but some fields failed.',
  [exitCodes.usage]: 'Invalid command line, or a misspelled setting. Nothing was changed.',
  [exitCodes.internalError]: 'Internal error (a bug). The details are on standard error.',
  [exitCodes.temporaryFailure]:
    'A temporary failure: storage that is full or fails, a PostgreSQL database that cannot be reached, or a plan for packs that no service answers. Run the same command again.',
  [exitCodes.config]: 'Invalid configuration, or a data folder or database that cannot be used. Nothing was changed.',
  [exitCodes.interrupted]: 'Interrupted. Run the same command again to continue.',
}
