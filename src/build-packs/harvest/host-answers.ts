import { UpstreamError, type UpstreamCode } from '../../model/error.ts'

/**
 * What requests are for. Questions about the size or the date of data soon go on without a host that does not answer; a
 * copy first waits for it.
 */
export type RequestPurpose = 'size' | 'date' | 'copy'

/**
 * Records which hosts answered the requests of a command. A host that did not answer gets no more requests, so that the
 * command ends soon without a network.
 */
export class HostAnswers {
  readonly purpose: RequestPurpose
  readonly #answered = new Set<string>()
  readonly #unavailable = new Map<string, UpstreamError>()
  #firstError: UpstreamError | null = null

  constructor(purpose: RequestPurpose) {
    this.purpose = purpose
  }

  /**
   * Sends a request to a host and records whether the host answered.
   * @throws {UpstreamError} if the request fails, or if the host did not answer an earlier request.
   */
  async run<T>(host: string, send: () => Promise<T>): Promise<T> {
    const earlier = this.#unavailable.get(host)
    if (earlier) throw earlier
    try {
      const result = await send()
      this.#answered.add(host)
      return result
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      throw this.#record(host, error)
    }
  }

  /** The first error if no host has answered; null if one has, or if none was asked. */
  errorOfAll(): UpstreamError | null {
    return this.#answered.size === 0 ? this.#firstError : null
  }

  #record(host: string, error: UpstreamError): UpstreamError {
    if (!isMissingAnswer(error)) {
      this.#answered.add(host)
      return error
    }
    this.#firstError ??= error
    if (!unavailableCodes.has(error.code) || isSlowCopy(error, this.purpose)) return error
    const unavailable = new UpstreamError(error.code, unavailableMessages[this.purpose](host, error), { cause: error })
    this.#unavailable.set(host, unavailable)
    return unavailable
  }
}

const unavailableMessages: Record<RequestPurpose, (host: string, error: UpstreamError) => string> = {
  size: (host) => `${host} did not answer, so the size is not known.`,
  date: (host) => `${host} did not answer, so it is not known whether the data has changed.`,
  copy: (host, { message }) => `${message} This command does not ask ${host} again.`,
}

/** One page of a copy can be too slow for a host that answers other requests. */
function isSlowCopy({ code }: UpstreamError, purpose: RequestPurpose): boolean {
  return purpose === 'copy' && code === 'timeout'
}

/** The host cannot be reached, or fails again and again. */
const unavailableCodes: ReadonlySet<UpstreamCode> = new Set([
  'connection_failed',
  'timeout',
  'tls_error',
  'source_suspended',
])

/**
 * A server error or a page in place of data can come from a proxy or a mirror, so it does not count as an answer of the
 * host.
 */
function isMissingAnswer({ code }: UpstreamError): boolean {
  return unavailableCodes.has(code) || code === 'upstream_5xx' || code === 'bad_response'
}
