/** Why a server gave no answer, as a person would say it, without a full stop. */
export function describeConnectionFailure(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown }
  if (name === 'TimeoutError') return 'it took too long'
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused') return 'nothing listens there'
  if (code === 'ENOTFOUND') return 'no host of that name is known'
  return message.replace(/[.?]+$/, '')
}
