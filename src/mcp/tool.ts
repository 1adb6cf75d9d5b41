import type { Static, TObject } from '@sinclair/typebox'
import type { App } from '../app.ts'
import type { Account, Scope } from '../auth/accounts.ts'

/** Who calls a tool, and what it may use. `tell`: how far it is, for those who want to know. */
export type ToolContext = { app: App; account: Account; signal: AbortSignal; reportProgress: (message: string) => void }

/** One tool: what it is called, what it takes and gives, and how it does it. `scope`: what the token must allow; null for the catalog, which is open. */
export type McpTool = {
  name: string
  title: string
  description: string
  scope: Scope | null
  /** Whether it may ask servers elsewhere. */
  isOpenWorld: boolean
  input: TObject
  output: TObject
  run(args: never, context: ToolContext): Promise<Record<string, unknown>> | Record<string, unknown>
}

/** A tool whose arguments have the type that its schema says. */
export function defineTool<Input extends TObject>(
  definition: Omit<McpTool, 'input' | 'run'> & {
    input: Input
    run(args: Static<Input>, context: ToolContext): Promise<Record<string, unknown>> | Record<string, unknown>
  },
): McpTool {
  return definition
}
