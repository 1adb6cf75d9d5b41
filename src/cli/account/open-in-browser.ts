import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The program that opens a URL, by operating system. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens a URL in the browser of this machine. Does nothing if there is no program that opens URLs. The browser gets the
 * path of a page that leads to the URL, because every user of the machine can read the arguments of a program.
 */
export function openInBrowser(
  url: string,
  { data, env }: { data: string; env: Readonly<Record<string, string | undefined>> },
): void {
  const [program, ...options] = openers[process.platform] ?? []
  const path = program === undefined ? null : Bun.which(program, { PATH: env.PATH ?? '' })
  if (path === null) return
  removeOpenPage(data)
  const page = openPageIn(data)
  const link = Bun.escapeHTML(url)
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}"><a href="${link}">Open Fieldstone</a>\n`,
    { mode: 0o600, flag: 'wx' },
  )
  Bun.spawn([path, ...options, pathToFileURL(page).href], {
    env,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  }).unref()
}

/** Removes the page that `openInBrowser` wrote. */
export function removeOpenPage(data: string): void {
  rmSync(openPageIn(data), { force: true })
}

function openPageIn(data: string): string {
  return join(resolve(data), 'open-dashboard.html')
}
