/** A token in the list of its account. Of the secret, only the last four characters are known. */
export type AccountToken = {
  id: string
  name: string
  last_four: string
  scopes: string[]
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}
