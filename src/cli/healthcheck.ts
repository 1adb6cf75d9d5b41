import { baseUrlOf } from '../config.ts'
import { exits } from './exits.ts'
import { noAnswer } from './no-answer.ts'

const patience_ms = 3_000

/** Carries out `fieldstone healthcheck`: asks /healthz of the server at a host and port, and gives exit code 0 when it is well, else 1 with a sentence. */
export async function healthcheck({ host, port }: { host: string; port: number }, { print, complain }: { print(line: string): void; complain(line: string): void }, wait_ms = patience_ms): Promise<number> {
  const url = `${baseUrlOf(reachable(host), port)}/healthz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(wait_ms), redirect: 'error', decompress: false })
    if (response.ok) {
      print(`${url} answers.`)
      return exits.done
    }
    complain(`${url} answered ${response.status}.`)
  } catch (error) {
    complain(`${url} does not answer: ${noAnswer(error)}.`)
  }
  return exits.refused
}

/** A server that listens on every address is asked on the loopback one. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host
}
