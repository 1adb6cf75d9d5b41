// Installs the packages of package-lock.json if they are missing. This is the only script that runs on Node, because it
// installs Bun.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.fieldstone')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(process.platform + process.arch)
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing the packages of package-lock.json (once; about 30 seconds) …')
  try {
    npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error')
    npm('rebuild', 'bun', '--loglevel=error')
  } catch {
    console.error('The packages were not installed. npm says why above. Mend that, then run the command again.')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

function npm(...words) {
  execFileSync(process.platform === 'win32' ? 'npm.cmd' : 'npm', words, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
