const program = Bun.fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** The result of a scenario: the numbers of passed and failed checks. */
export type SuiteOutcome = { passed: number; failed: number }

/** Runs all server scenarios of the conformance suite against the server at an address. */
export async function serverScenarios(url: string, folder: string): Promise<Map<string, SuiteOutcome>> {
  const said = await carriedOut(['server', '--url', url, '--suite', 'all', '-o', folder])
  return new Map(
    [...said.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm)].map(([, name, passed, failed]) => [
      name!,
      { passed: Number(passed), failed: Number(failed) },
    ]),
  )
}

/** Runs one client scenario. `command` receives the address of the suite's server. */
export async function clientScenario(
  name: string,
  command: string,
  folder: string,
  env: Record<string, string>,
): Promise<SuiteOutcome> {
  const said = await carriedOut(['client', '--command', command, '--scenario', name, '-o', folder], env)
  const [, passed = '0', failed = '1'] = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(said) ?? []
  return { passed: Number(passed), failed: Number(failed) }
}

async function carriedOut(words: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([process.execPath, '--no-env-file', program, ...words], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return `${out}\n${err}`
}
