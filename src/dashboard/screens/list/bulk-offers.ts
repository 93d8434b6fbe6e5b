/**
 * What the bar offers for the chosen rows, as they were read last. While review is on, a publisher sets no status that the
 * service rejects, and hands drafts in. The service decides again on every request.
 */
import type { Json } from '../../../client/client.ts'
import type { Caller } from '../../../models/caller.ts'
import { isScheduled } from '../../../models/workflow.ts'
import type { Model } from '../../../models/schema.ts'
import { handsIn, mayDelete, maySetStatus } from '../../review-duty.ts'

/** What decides about a row: none of it where it was not read. */
export interface Standing {
  readonly status?: Json | undefined
  readonly handedInAt?: Json | undefined
  readonly publishAt?: Json | undefined
}

export function offers(model: Model, user: Caller) {
  return {
    /** Whether all of them may get a status, which some do not have. */
    status: (chosen: readonly Standing[], to: string): boolean =>
      chosen.some(({ status }) => status !== to) && chosen.every(({ status }) => maySetStatus(model, user, { from: status, to })),
    /** Documents of other models, and links, are set for many rows at once; a row keeps its status. */
    fields: (chosen: readonly Standing[]): boolean =>
      embeddedFields(model).length + linkFields(model).length > 0 && chosen.every(({ status }) => maySetStatus(model, user, { from: status, to: status })),
    schedule: (chosen: readonly Standing[]): boolean => isScheduled(model) && !handsIn(model, user) && chosen.some(({ status }) => status === 'draft'),
    handIn: (chosen: readonly Standing[]): boolean => handsIn(model, user) && chosen.some(isToHandIn),
    removal: (chosen: readonly Standing[]): boolean => chosen.every(({ status }) => mayDelete(model, user, status)),
  }
}

/** The names of the members that hold a document of another model, with that. */
export function embeddedFields(model: Model): readonly (readonly [name: string, model: Model])[] {
  return Object.entries(model.fields).flatMap(([name, field]) => (field.kind === 'embedded' ? [[name, field.model] as const] : []))
}

/** The names of the members that hold a link, such as a picture. */
export function linkFields(model: Model): readonly string[] {
  return Object.entries(model.fields).flatMap(([name, field]) => (field.kind === 'text' && field.form === 'httpUrl' ? [name] : []))
}

export function isToHandIn({ status, handedInAt }: Standing): boolean {
  return status === 'draft' && typeof handedInAt !== 'string'
}
