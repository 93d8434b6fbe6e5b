/** The failure of a reader of changes that cannot go on from where it was, with the place from which it can after it has read everything. */
import { Failure } from './failure.ts'

export class ResyncFailure extends Failure {
  readonly next: string

  constructor(next: string) {
    super('resyncRequired', 'Cannot go on from there: the log does not have all changes since, so start over from "next" and read the lists')
    this.next = next
  }
}
