/** Describes why a request got no response, without a full stop. */
export function describeConnectionFailure(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown }
  if (name === 'TimeoutError') return 'the request timed out'
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused') return 'connection refused'
  if (code === 'ENOTFOUND') return 'unknown host'
  return message.replace(/[.?]$/, '')
}
