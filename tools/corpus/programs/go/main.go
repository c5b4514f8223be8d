// A Go program with a module of the Go proxy, and with what its runtime brings: goroutines, channels, garbage, maps, sorting.
package main

import (
	"fmt"
	"sort"
	"strings"

	"rsc.io/quote"
)

func main() {
	squares := make(chan int)
	go func() {
		defer close(squares)
		for i := 1; i <= 10; i++ {
			squares <- i * i
		}
	}()
	sum := 0
	for square := range squares {
		sum += square
	}
	words := strings.Fields(quote.Go())
	sort.Strings(words)
	fmt.Println(sum, strings.Join(words, " "))
}
