import { openApp, type AppOptions } from '../app.ts'
import { createHttpServer } from '../http/server.ts'
import { fetchBounded } from '../net/bounded-fetch.ts'
import { parseServerFlag, type CommandFlags } from './command-args.ts'
import { describeConnectionFailure } from './connection-failure.ts'
import { waitForPacks } from './wait-for-packs.ts'
import { UsageError } from './usage-error.ts'

/** Answers requests to the HTTP API: in this process, or on a server. */
export type QuestionBackend = {
  post(path: string, body: Record<string, unknown>): Promise<Response>
  close(): void
}

/** The server of --server did not respond. */
export class ServerUnreachableError extends Error {}

const answerMax_bytes = 64 * 2 ** 20

/** Opens the server of --server with the token of --token or FIELDSTONE_TOKEN, or else the app of the data folder. */
export async function openQuestionBackend(flags: CommandFlags, options: AppOptions): Promise<QuestionBackend> {
  const server = parseServerFlag(flags)
  if (server === null && flags.token !== undefined) throw new UsageError('--token requires --server.')
  const token = typeof flags.token === 'string' ? flags.token : options.config.token
  return server === null ? openLocalBackend(options) : openRemoteBackend(server, token)
}

async function openLocalBackend(options: AppOptions): Promise<QuestionBackend> {
  const app = openApp({ ...options, config: { ...options.config, auth: 'off' } })
  await waitForPacks(app)
  return {
    post: (path, body) =>
      createHttpServer(app).handle(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          headers: { host: 'localhost', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    close: () => app.close(),
  }
}

function openRemoteBackend(server: string, token: string | null): QuestionBackend {
  return {
    async post(path, body) {
      const headers = {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return fetchBounded(`${server}${path}`, init, answerMax_bytes).catch((cause: Error) => {
        throw new ServerUnreachableError(`No response from ${server}: ${describeConnectionFailure(cause)}.`, { cause })
      })
    },
    close: () => {},
  }
}
