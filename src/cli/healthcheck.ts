import { baseUrlOf } from '../config.ts'
import { exitCodes } from './exit-codes.ts'
import { describeConnectionFailure } from './connection-failure.ts'

const defaultTimeout_ms = 3_000

/** Carries out `fieldstone healthcheck`: asks /healthz of the server at a host and port, and gives exit code 0 when it is well, else 1 with a sentence. */
export async function healthcheckCommand(
  { host, port }: { host: string; port: number },
  { print, printError }: { print(line: string): void; printError(line: string): void },
  timeout_ms = defaultTimeout_ms,
): Promise<number> {
  const url = `${baseUrlOf(reachableHost(host), port)}/healthz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout_ms), redirect: 'error', decompress: false })
    if (response.ok) {
      print(`${url} answers.`)
      return exitCodes.ok
    }
    printError(`${url} answered ${response.status}.`)
  } catch (error) {
    printError(`${url} does not answer: ${describeConnectionFailure(error)}.`)
  }
  return exitCodes.failure
}

/** A server that listens on every address is asked on the loopback one. */
function reachableHost(host: string): string {
  return host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host
}
