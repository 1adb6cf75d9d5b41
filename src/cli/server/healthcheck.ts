import { baseUrlOf } from '../../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { describeConnectionFailure } from '../connection-failure.ts'

const defaultTimeout_ms = 3_000

/** `fieldstone healthcheck`: requests /healthz. Returns exit code 0 if the server is healthy, otherwise 1. */
export async function healthcheckCommand(
  { host, port }: { host: string; port: number },
  { print, printError }: { print(line: string): void; printError(line: string): void },
  timeout_ms = defaultTimeout_ms,
): Promise<number> {
  const url = `${baseUrlOf(reachableHost(host), port)}/healthz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout_ms), redirect: 'error', decompress: false })
    if (response.ok) {
      print(`${url} is healthy.`)
      return exitCodes.ok
    }
    printError(`${url} answered ${response.status}.`)
  } catch (error) {
    printError(`No response from ${url}: ${describeConnectionFailure(error)}.`)
  }
  return exitCodes.failure
}

/** The loopback address, for a server that listens on all addresses. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host
}
