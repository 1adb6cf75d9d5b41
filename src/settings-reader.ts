/** Reads single settings and collects an error for each invalid one. An invalid setting reads as its default. */
export class SettingsReader {
  readonly env: Record<string, string | undefined>
  readonly errors = new Set<string>()

  constructor(env: Record<string, string | undefined>) {
    this.env = env
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.env[name] ?? String(fallback)
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    this.reject(name, `Use a whole number from ${min} to ${max}.`)
    return fallback
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.env[name] ?? fallback
    const found = allowed.find((value) => value === text)
    if (found === undefined) this.reject(name, `Use ${allowed.join(' or ')}.`)
    return found ?? fallback
  }

  /** Null when the setting is missing or empty. A trailing slash is removed. */
  httpUrl(name: string): string | null {
    const text = this.env[name]
    if (text === undefined || text === '') return null
    if (!isHttpUrl(text)) this.reject(name, 'Use a URL such as http://mirror.example:8081.')
    return text.replace(/\/$/, '')
  }

  /** Null when the setting is missing or empty. */
  urlTemplate(name: string): string | null {
    const text = this.env[name]
    if (text === undefined || text === '') return null
    if (!isHttpUrl(text) || !['{z}', '{x}', '{y}'].every((placeholder) => text.includes(placeholder)))
      this.reject(name, 'Use a URL such as https://tiles.example/{z}/{x}/{y}.png.')
    return text
  }

  folder(name: string): string | undefined {
    if (this.env[name] === '') this.errors.add(`${name} is empty. Use the path of a folder.`)
    return this.env[name]
  }

  /** Null when the setting is missing or empty. */
  mailAddress(name: string): string | null {
    const text = this.env[name] ?? ''
    if (text === '') return null
    if (!/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) this.reject(name, 'Use a mail address such as gis@city.example.')
    return text
  }

  /** A comma-separated list of origins, or `*`. Empty when the setting is missing. */
  origins(name: string): string[] {
    const origins = (this.env[name] ?? '').split(',').map((origin) => origin.trim().toLowerCase())
    const given = origins.filter((origin) => origin !== '')
    if (!given.every((origin) => origin === '*' || (isHttpUrl(origin) && new URL(origin).origin === origin)))
      this.reject(name, 'Use origins such as https://map.example, comma-separated, or *.')
    return given
  }

  reject(name: string, advice: string): void {
    this.errors.add(`${name} is ${JSON.stringify(this.env[name])}. ${advice}`)
  }
}

/** Whether a text is an http or https URL. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/**
 * Returns our settings for the backup manifest. Omits names that look like a secret, and the data folder, which differs
 * per machine. Removes user names and passwords from URLs.
 */
export function reportedSettingsOf(env: Record<string, string | undefined>): Record<string, string> {
  const isReported = (name: string) =>
    /^(?:FIELDSTONE_\w+|ANTHROPIC_BASE_URL|OTEL_EXPORTER_OTLP_ENDPOINT)$/.test(name) &&
    (name === 'FIELDSTONE_AUTH' ||
      name === 'FIELDSTONE_TOKENS_STALE_SECONDS' ||
      !/TOKEN|KEY|SECRET|PASSWORD|HEADER|AUTH|CREDENTIAL|CONTACT/.test(name)) &&
    name !== 'FIELDSTONE_DATA'
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isReported(name) ? [[name, value.replace(/\/\/[^/@]*@/g, '//')]] : [],
    ),
  )
}
