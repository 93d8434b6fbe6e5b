/** What a publisher may still do while review is on, so that the page offers no more. The service decides on every request. */
import type { Client } from '../client/client.ts'
import { isAdmin, type Caller } from '../models/caller.ts'
import { isReviewed } from '../models/workflow.ts'
import type { Model } from '../models/schema.ts'

/** As the service said last. */
let isOn = false

/** Nothing is hidden where the service cannot be asked. */
export async function readReviewDuty({ client, user, signal }: { readonly client: Client; readonly user: Caller; readonly signal: AbortSignal }): Promise<void> {
  if (isAdmin(user)) return
  await client.dashboard.reviews({ signal }).then((queue) => setReviewOn(queue.isOn), () => {})
}

/** Whether that is news. */
export function setReviewOn(now: boolean): boolean {
  const isNews = now !== isOn
  isOn = now
  return isNews
}

/** Whether the user hands documents of the model in, and does not publish them. */
export function handsIn(model: Model, user: Caller): boolean {
  return isOn && isReviewed(model) && !isAdmin(user)
}

/** Whether the user may store a document with a status; `from` is the one that it has, undefined for a new document. */
export function maySetStatus(model: Model, user: Caller, { from, to }: { readonly from?: unknown; readonly to: unknown }): boolean {
  return !handsIn(model, user) || (from !== 'active' && to === 'draft')
}

export function mayDelete(model: Model, user: Caller, status: unknown): boolean {
  return !handsIn(model, user) || status !== 'active'
}
