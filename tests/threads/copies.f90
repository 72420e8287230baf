! SPDX-License-Identifier: BSD-3-Clause
! Assignments of whole arrays and of parts: words of 8 bytes, each loaded once and stored once, but the first, which is
! only stored. Nothing else is an access.
module assignments
  implicit none
contains
  subroutine assign(u, v, which)
    real(8), intent(inout) :: u(1000), v(1000)
    integer, value :: which
    select case (which)
    case (1); u = 0
    case (2); u = v
    case (3); u(2:1000) = v(1:999)
    case (4); u(2:1000) = u(1:999)
    end select
  end subroutine
end module

program copies
  use assignments
  implicit none
  real(8), allocatable :: u(:), v(:)
  character(8) :: word
  integer :: which
  allocate(u(1000), v(1000))
  call get_command_argument(1, word)
  read (word, *) which
  call assign(u, v, which)
end program
