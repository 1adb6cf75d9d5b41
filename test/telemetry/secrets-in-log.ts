/** Our tokens, model keys, test keys, authorization headers, session cookies, and street addresses. */
const secrets = [
  /fst_[a-z]{3}_\w{20}/,
  /\bsk-[\w-]{8}/,
  /\btest-(?:census|nlr|airnow|regrid|geocodio)\b/,
  /\b(?:Bearer|Basic) [\w+/=.-]{8}/,
  /\bfieldstone=[\w-]{43}/,
  /\b\d{1,5} (?:[NSEW] )?[A-Z][a-z]+ (?:St|Street|Ave|Avenue|Blvd|Rd|Dr)\b/,
]

/** Throws when a log line contains a secret or an address. Every test service checks its log when it closes. */
export function requireNoSecrets(logged: string[]): void {
  const found = logged.find((line) => secrets.some((secret) => secret.test(line)))
  if (found !== undefined) throw new Error(`A log line contains a secret or an address: ${found.slice(0, 500)}`)
}
