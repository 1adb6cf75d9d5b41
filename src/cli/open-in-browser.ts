/** The program that opens a URL, by operating system. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a URL in the browser of this machine. Does nothing if there is no program that opens URLs. */
export function openInBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const [program, ...options] = openers[process.platform] ?? []
  const path = program === undefined ? null : Bun.which(program, { PATH: env.PATH ?? '' })
  if (path === null) return
  Bun.spawn([path, ...options, url], { env, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' }).unref()
}
