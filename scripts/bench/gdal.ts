/** What a program wrote; throws with what it complained of when it fails. */
export async function ran(command: string[], input = ''): Promise<string> {
  const child = Bun.spawn(command, { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
  const [out, complaint] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}: ${complaint}`)
  return out
}
