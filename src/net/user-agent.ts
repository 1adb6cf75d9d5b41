/** The program, the public URL of its server, and the mail address of its operator, if it is known. */
type Caller = { version: string; base_url: string; contact: string | null }

/** Returns the User-Agent of requests to publishers, who can find the operator by it. */
export function userAgentOf({ version, base_url, contact }: Caller): string {
  return `Fieldstone/${version} (+${base_url}${contact === null ? '' : `; ${contact}`})`
}
