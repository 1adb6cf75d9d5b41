/** An error response of the API, or a network failure before one arrived. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string
  readonly context: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, context: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.context = context
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.context.retryable === true || this.code === 'unreachable'
  }

  /** Whether the user must sign in first. */
  get needsSignIn(): boolean {
    return this.status === 401
  }
}

/** Returns the error of a response that is not ok. */
export async function requestErrorOf(response: Response): Promise<RequestError> {
  const detail = detailOf(await response.json().catch(() => null))
  if (Array.isArray(detail)) return new RequestError(response.status, 'validation', detail.map(violationText).join(' '))
  if (!isObject(detail))
    return new RequestError(
      response.status,
      'bad_answer',
      `The server answered with status ${response.status} and no explanation.`,
      {
        retryable: response.status >= 500,
      },
    )
  // A person in a browser does not call endpoints.
  const message = String(detail.message).replaceAll(/ [^.!?]*\b(?:GET|POST) \/[^.!?]*[.!?]/g, '')
  return new RequestError(response.status, String(detail.error), message, detail)
}

function detailOf(body: unknown): unknown {
  return isObject(body) ? body.detail : null
}

/** One validation error as a sentence. */
function violationText(violation: unknown): string {
  if (!isObject(violation)) return ''
  const path = Array.isArray(violation.loc) ? violation.loc.slice(1).join('.') : ''
  return `${path === '' ? '' : `${path}: `}${String(violation.msg)}.`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The state of a request to the API. */
export type RequestState<T> =
  { status: 'loading' } | { status: 'loaded'; value: T } | { status: 'failed'; error: RequestError }

/** Runs a request and returns its result or its error. Any other exception is a bug and is rethrown. */
export async function runRequest<T>(send: () => Promise<T>): Promise<RequestState<T>> {
  try {
    return { status: 'loaded', value: await send() }
  } catch (error) {
    if (error instanceof RequestError) return { status: 'failed', error }
    throw error
  }
}
