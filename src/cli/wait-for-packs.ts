import type { App } from '../app.ts'

/**
 * Waits until all packs are checked. A command answers once and ends, so it cannot ask for a retry while a pack is
 * being checked, as the service does.
 */
export async function waitForPacks({ packs, addressPacks }: Pick<App, 'packs' | 'addressPacks'>): Promise<void> {
  // Packs in storage, also those of addresses, are copied before this ends.
  await packs.waitUntilChecked()
  await addressPacks.waitForChecks(Infinity)
}
