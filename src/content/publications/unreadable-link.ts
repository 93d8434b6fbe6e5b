/** The failure of a link to a publication that is there, by the part of the link that cannot be read: a person is told of it in words. */
import { Failure } from '../../base/failure.ts'

export type LinkPart = 'cursor' | 'search'

export class UnreadableLink extends Failure {
  readonly part: LinkPart

  constructor(part: LinkPart, message: string) {
    super('badRequest', message)
    this.part = part
  }
}
