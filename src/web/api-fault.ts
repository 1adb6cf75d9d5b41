/** A refusal of the service, or of the network on the way to it. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string
  readonly context: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, message: string, context: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.context = context
  }

  /** Whether asking again may help. */
  get retryable(): boolean {
    return this.context.retryable === true || this.code === 'unreachable'
  }

  /** Whether it takes signing in. */
  get needsSignIn(): boolean {
    return this.status === 401
  }
}

/** The fault that a response which is not ok stands for. */
export async function faultOf(response: Response): Promise<ApiFault> {
  const detail = detailOf(await response.json().catch(() => null))
  if (Array.isArray(detail)) return new ApiFault(response.status, 'validation', detail.map(saidOf).join(' '))
  if (!isRecord(detail))
    return new ApiFault(response.status, 'bad_answer', `The server answered ${response.status}, and did not say why.`, {
      retryable: response.status >= 500,
    })
  return new ApiFault(response.status, String(detail.error), String(detail.message), detail)
}

function detailOf(body: unknown): unknown {
  return isRecord(body) ? body.detail : null
}

/** One violation of a shape, as a sentence. */
function saidOf(violation: unknown): string {
  if (!isRecord(violation)) return ''
  const where = Array.isArray(violation.loc) ? violation.loc.slice(1).join('.') : ''
  return `${where === '' ? '' : `${where}: `}${String(violation.msg)}.`
}

function isRecord(it: unknown): it is Record<string, unknown> {
  return typeof it === 'object' && it !== null
}
