import type { CredentialStore } from '../../src/cli/account/credentials.ts'
import { loginCommand } from '../../src/cli/account/login.ts'
import { openBrowser } from '../http/browser.ts'
import type { ListeningService } from '../mcp/listening-service.ts'

/** Logs in to a service like a person who reads the output. Polling intervals take no time. */
export async function logInToService(
  { testService, url }: ListeningService,
  credentials: CredentialStore,
): Promise<{ code: number; said: string[] }> {
  const said: string[] = []
  const browser = openBrowser((address, init) => fetch(new URL(address, url), init), url)
  const decide = async () => {
    const user_code = /code: (\S+)/.exec(said.join('\n'))![1]!
    await browser.submit(await browser.get('/sign-in'), { name: 'owner', password: testService.token })
    const requested = await browser.submit(await browser.get('/device'), { user_code })
    await browser.submit(requested, { decision: 'yes' })
  }
  const code = await loginCommand(url, null, {
    credentials,
    httpFetch: fetch,
    wait: decide,
    now: () => new Date(),
    print: (it) => said.push(it),
    printError: (it) => said.push(it),
  })
  return { code, said }
}
