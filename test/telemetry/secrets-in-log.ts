/** Tokens of ours, keys of models, the keys of the tests, headers that carry either, session cookies, and a street with its number. */
const secrets = [
  /fst_[a-z]{3}_\w{20}/,
  /\bsk-[\w-]{8}/,
  /\btest-(?:census|nlr|airnow|regrid|geocodio)\b/,
  /\b(?:Bearer|Basic) [\w+/=.-]{8}/,
  /\bfieldstone=[\w-]{43}/,
  /\b\d{1,5} (?:[NSEW] )?[A-Z][a-z]+ (?:St|Street|Ave|Avenue|Blvd|Rd|Dr)\b/,
]

/** Throws when a line of a log holds something that no log may hold: every house of the tests asks this when it is closed. */
export function mustHoldNoSecret(logged: string[]): void {
  const found = logged.find((line) => secrets.some((secret) => secret.test(line)))
  if (found !== undefined) throw new Error(`A line of the log holds a secret or an address: ${found.slice(0, 500)}`)
}
