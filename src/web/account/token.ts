/** A token as its account sees it: of the token itself, the last four letters. */
export type AccountToken = {
  id: string
  name: string
  last_four: string
  scopes: string[]
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}
