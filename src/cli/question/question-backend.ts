import type { AppOptions } from '../../app.ts'
import { createHttpServer } from '../../http/server.ts'
import type { CommandFlags } from '../command-args.ts'
import type { CredentialStore } from '../account/credentials.ts'
import { openCommandApp, waitForPacks } from '../command-app.ts'
import { ServerUnreachableError, serverClientOf, type ServerClient } from '../server-client.ts'

/** Answers requests to the HTTP API: in this process, or on a server. */
export type QuestionBackend = {
  post(path: string, body: Record<string, unknown>): Promise<Response>
  get(path: string): Promise<Response>
  close(): Promise<void>
}

const answerMax_bytes = 64 * 2 ** 20

/** The options of the app in this process, and the logins to servers. */
export type QuestionDeps = { options: AppOptions; credentials: CredentialStore }

/** Opens the server of --server, or else the app of the data folder. */
export async function openQuestionBackend(
  flags: CommandFlags,
  { options, credentials }: QuestionDeps,
): Promise<QuestionBackend> {
  const client = serverClientOf(flags, { config: options.config, credentials })
  return client === null ? openLocalBackend(options) : openRemoteBackend(client)
}

async function openLocalBackend(options: AppOptions): Promise<QuestionBackend> {
  const app = openCommandApp({ ...options, config: { ...options.config, auth: 'off' } })
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
    get: (path) =>
      createHttpServer(app).handle(new Request(`http://localhost${path}`, { headers: { host: 'localhost' } })),
    close: () => app.close(),
  }
}

function openRemoteBackend(client: ServerClient): QuestionBackend {
  return {
    async post(path, body) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await client.send(path, init, answerMax_bytes)
      if (!/^(?:application\/json|text\/event-stream)\b/.test(response.headers.get('content-type') ?? ''))
        throw new ServerUnreachableError(
          `${client.url} is not a Fieldstone server: it answered ${response.status} without JSON. Check --server.`,
        )
      return response
    },
    get: (path) => client.send(path, {}, answerMax_bytes),
    close: () => Promise.resolve(),
  }
}
