import type { Static, TObject } from '@sinclair/typebox'
import type { App } from '../app.ts'
import type { Account } from '../auth/accounts.ts'
import type { Scope } from '../auth/scope.ts'
import { ApiError } from '../model/error.ts'

/** The context of a tool call. `reportProgress` sends a progress message to a client that wants one. */
export type ToolContext = { app: App; account: Account; signal: AbortSignal; reportProgress: (message: string) => void }

/** An MCP tool. */
export type McpTool = {
  name: string
  title: string
  description: string
  /** The scope that the token must have; null for tools that only read the catalog, which is open. */
  scope: Scope | null
  /** Whether the tool may query external servers. */
  isOpenWorld: boolean
  /** Whether a call stores something, so that a repeated call does it again. */
  isWriting?: true
  input: TObject
  output: TObject
  run(args: never, context: ToolContext): Promise<Record<string, unknown>> | Record<string, unknown>
}

/** Defines a tool whose argument type follows from its input schema. */
export function defineTool<Input extends TObject>(
  definition: Omit<McpTool, 'input' | 'run'> & {
    input: Input
    run(args: Static<Input>, context: ToolContext): Promise<Record<string, unknown>> | Record<string, unknown>
  },
): McpTool {
  return definition
}

/** @throws ApiError `insufficient_scope` if the account's token does not have the scope. */
export function requireToolScope({ scopes }: Account, scope: Scope): void {
  if (!scopes.has(scope))
    throw new ApiError('insufficient_scope', `This token does not have the scope ${scope}. Create one that has it.`, {
      required: [scope],
      granted: [...scopes],
    })
}
